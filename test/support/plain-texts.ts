/** Texts that name nothing of ours. Another one is an id, or belongs here. */
export const PLAIN_TEXTS: ReadonlySet<string> = new Set([
  ...['currency', 'description', 'statement_descriptor', 'receipt_email', 'url'],
  ...[
    'name',
    'email',
    'phone',
    'address',
    'shipping',
    'preferred_locales[]',
    'billing_details',
    'metadata',
  ],
  ...['city', 'country', 'line1', 'line2', 'postal_code', 'state', 'number', 'cvc'],
  // A processor's name for a bank account, and what a bank account consists of.
  ...['external_account', 'account_number', 'routing_number', 'account_holder_name', 'object'],
  // What a merchant writes about a dispute, and the form of a file.
  ...['access_activity_log', 'billing_address', 'cancellation_policy_disclosure'],
  ...['cancellation_rebuttal', 'customer_email_address', 'customer_name', 'customer_purchase_ip'],
  ...['duplicate_charge_explanation', 'duplicate_charge_id', 'product_description'],
  ...['refund_policy_disclosure', 'refund_refusal_explanation', 'service_date', 'shipping_address'],
  ...[
    'shipping_carrier',
    'shipping_date',
    'shipping_tracking_number',
    'uncategorized_text',
    'file',
  ],
  ...['expand[]', 'enabled_events[]', 'types[]', 'api_version'],
]);

/** Texts that name nothing which an admin could see or not. */
export const ADMIN_PLAIN_TEXTS: readonly RegExp[] = [
  /^POST \/accounts(?:\/\{id\})? (?:name|email|country|default_currency)$/,
  /^POST \/keys(?:\/\{id\})? (?:name|allowed_ips\[\])$/,
  /^POST \/platforms(?:\/\{id\})? (?:name|redirect_uris\[\]|callback_origins\[\]|contact_email)$/,
  // A platform is out of reach for an admin of some accounts, and so is its secret.
  /^POST \/platforms\/\{id\}\/revoke_secret client_secret$/,
  /^POST \/endpoints(?:\/\{id\})? (?:url|enabled_events\[\]|description|api_version)$/,
  /^POST \/operations\/\{id\}\/(?:settle|dismiss) (?:reason|processor_reference)$/,
  /^POST \/expunge_requests reason$/,
  /^GET \/operations processor$/,
  /^GET \/notices processor$/,
  /^POST \/notices\/\{id\}\/dismiss reason$/,
  /^GET \/bank_accounts currency$/,
  /^POST \/adjustments (?:currency|reason)$/,
  /^GET \/settlement_differences processor$/,
  /^POST \/settlement_differences\/\{id\}\/settle note$/,
  /^POST \/leaks (?:credential|source|url)$/,
  /^GET \/audit(?:\/export)? (?:actor|target|account)$/,
  // A chain's head is compared, never shown; whose it is must be within reach.
  /^POST \/audit\/verify heads\[\]\[(?:account|hash)\]$/,
];
