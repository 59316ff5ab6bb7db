import com.stripe.Stripe;
import com.stripe.StripeClient;
import com.stripe.exception.AuthenticationException;
import com.stripe.exception.CardException;
import com.stripe.exception.SignatureVerificationException;
import com.stripe.exception.StripeException;
import com.stripe.model.Balance;
import com.stripe.model.BalanceTransaction;
import com.stripe.model.Charge;
import com.stripe.model.Event;
import com.stripe.model.PaymentMethod;
import com.stripe.model.Refund;
import com.stripe.model.WebhookEndpoint;
import com.stripe.param.ChargeCaptureParams;
import com.stripe.param.ChargeCreateParams;
import com.stripe.param.ChargeListParams;
import com.stripe.param.PaymentMethodCreateParams;
import com.stripe.param.RefundCreateParams;
import com.stripe.param.RefundListParams;
import com.stripe.param.WebhookEndpointCreateParams;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Drives the API with stripe-java: charges, refunds, an endpoint, its deliveries. */
public class Program {
  /** A signed request of the API to this program. */
  record Delivery(String body, String header) {}

  /** A call that must fail. */
  interface Call {
    void run() throws Exception;
  }

  static final StripeClient client = connect(System.getenv("SECRET_KEY"));

  public static void main(String[] arguments) throws Exception {
    Charge held = createAndCapture();
    readTimes(held);
    listAll();
    refund(held);
    readBalance();
    createPaymentMethod();
    receive();
    Billing.bill(client);
    meetErrors();
  }

  static StripeClient connect(String key) {
    return StripeClient.builder().setApiKey(key).setApiBase(System.getenv("API_URL")).build();
  }

  static ChargeCreateParams.Builder charge(long amount, String currency, String source) {
    return ChargeCreateParams.builder().setAmount(amount).setCurrency(currency).setSource(source);
  }

  static Charge createAndCapture() throws StripeException {
    ChargeCreateParams params =
        charge(4200, "eur", "tok_visa")
            .setDescription("Two tickets")
            .putMetadata("order", "o_1")
            .build();
    Charge made = client.v1().charges().create(params);
    equal("amount", made.getAmount(), 4200L);
    equal("currency", made.getCurrency(), "eur");
    equal("status", made.getStatus(), "succeeded");
    equal("last4", made.getPaymentMethodDetails().getCard().getLast4(), "4242");
    Charge found = client.v1().charges().retrieve(made.getId());
    equal("metadata", found.getMetadata(), Map.of("order", "o_1"));
    ok("create");

    params = charge(1000, "eur", "tok_mastercard").setCapture(false).build();
    Charge authorized = client.v1().charges().create(params);
    equal("captured", authorized.getCaptured(), false);
    ChargeCaptureParams part = ChargeCaptureParams.builder().setAmount(600L).build();
    Charge captured = client.v1().charges().capture(authorized.getId(), part);
    equal("captured", captured.getCaptured(), true);
    equal("amount_captured", captured.getAmountCaptured(), 600L);
    ok("capture");
    return captured;
  }

  static void readTimes(Charge held) throws StripeException {
    recent("created", held.getCreated());
    ChargeListParams.Created since =
        ChargeListParams.Created.builder().setGte(held.getCreated()).build();
    ChargeListParams params = ChargeListParams.builder().setCreated(since).build();
    equal("the newest", client.v1().charges().list(params).getData().get(0).getId(), held.getId());
    ok("times");
  }

  static void listAll() throws StripeException {
    List<String> made = new ArrayList<>();
    for (int count = 0; count < 5; count += 1) {
      ChargeCreateParams params = charge(100 + count, "usd", "tok_visa").build();
      made.add(0, client.v1().charges().create(params).getId());
    }
    List<String> seen = new ArrayList<>();
    ChargeListParams params = ChargeListParams.builder().setLimit(2L).build();
    for (Charge each : client.v1().charges().list(params).autoPagingIterable()) {
      seen.add(each.getId());
    }
    equal("the number of charges", seen.size(), 7);
    equal("the newest charges", seen.subList(0, 5), made);
    ok("list");
  }

  static void refund(Charge held) throws StripeException {
    RefundCreateParams params =
        RefundCreateParams.builder().setCharge(held.getId()).setAmount(200L).build();
    Refund made = client.v1().refunds().create(params);
    equal("amount", made.getAmount(), 200L);
    equal("status", made.getStatus(), "succeeded");
    equal("charge", made.getCharge(), held.getId());
    recent("created", made.getCreated());
    Charge found = client.v1().charges().retrieve(held.getId());
    equal("amount_refunded", found.getAmountRefunded(), 200L);
    RefundListParams ofCharge = RefundListParams.builder().setCharge(held.getId()).build();
    List<Refund> page = client.v1().refunds().list(ofCharge).getData();
    equal("the refunds", page.stream().map(Refund::getId).toList(), List.of(made.getId()));
    ok("refund");
  }

  static void readBalance() throws StripeException {
    Map<String, Long> pending = new HashMap<>();
    for (Balance.Pending funds : client.v1().balance().retrieve().getPending()) {
      pending.put(funds.getCurrency(), funds.getAmount());
    }
    equal("the pending amount", pending.get("eur"), 4600L);
    BalanceTransaction newest = client.v1().balanceTransactions().list().getData().get(0);
    equal("type", newest.getType(), "refund");
    equal("net", newest.getNet(), -200L);
    recent("created", newest.getCreated());
    equal("it is available later", newest.getAvailableOn() >= newest.getCreated(), true);
    ok("balance");
  }

  static void createPaymentMethod() throws StripeException {
    PaymentMethodCreateParams params =
        PaymentMethodCreateParams.builder()
            .setType(PaymentMethodCreateParams.Type.CARD)
            .setCard(PaymentMethodCreateParams.Token.builder().setToken("tok_visa").build())
            .build();
    PaymentMethod made = client.v1().paymentMethods().create(params);
    equal("last4", made.getCard().getLast4(), "4242");
    recent("created", made.getCreated());
    equal("type", client.v1().paymentMethods().retrieve(made.getId()).getType(), "card");
    ok("payment method");
  }

  static void receive() throws Exception {
    LinkedBlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
    HttpServer server = startReceiver(arrived);
    WebhookEndpoint endpoint =
        client
            .v1()
            .webhookEndpoints()
            .create(
                WebhookEndpointCreateParams.builder()
                    .setUrl("http://127.0.0.1:" + server.getAddress().getPort() + "/hook")
                    .addEnabledEvent(WebhookEndpointCreateParams.EnabledEvent.CHARGE__SUCCEEDED)
                    .setApiVersion(WebhookEndpointCreateParams.ApiVersion.VERSION_2026_07_29_DAHLIA)
                    .build());
    equal("api_version", endpoint.getApiVersion(), Stripe.API_VERSION);
    WebhookEndpoint found = client.v1().webhookEndpoints().retrieve(endpoint.getId());
    equal("status", found.getStatus(), "enabled");
    ok("endpoint");

    Charge made = client.v1().charges().create(charge(777, "eur", "tok_visa").build());
    Delivery delivery = Objects.requireNonNull(arrived.poll(30, TimeUnit.SECONDS), "no delivery");
    String secret = endpoint.getSecret();
    Event event = client.constructEvent(delivery.body(), delivery.header(), secret);
    equal("type", event.getType(), "charge.succeeded");
    recent("created", event.getCreated());
    Charge inside = (Charge) event.getDataObjectDeserializer().getObject().orElseThrow();
    equal("the charge", inside.getId(), made.getId());
    recent("created", inside.getCreated());
    thrown(
        SignatureVerificationException.class,
        () -> client.constructEvent(delivery.body() + " ", delivery.header(), secret));
    equal("type", client.v1().events().retrieve(event.getId()).getType(), "charge.succeeded");
    equal("deleted", client.v1().webhookEndpoints().delete(endpoint.getId()).getDeleted(), true);
    server.stop(0);
    ok("delivery");
  }

  static HttpServer startReceiver(LinkedBlockingQueue<Delivery> arrived) throws Exception {
    InetAddress loopback = InetAddress.getByName("127.0.0.1");
    HttpServer server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
    server.createContext(
        "/hook",
        (exchange) -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
          String header = exchange.getRequestHeaders().getFirst("Service-Signature");
          arrived.add(new Delivery(new String(body, StandardCharsets.UTF_8), header));
        });
    server.start();
    return server;
  }

  static void meetErrors() {
    ChargeCreateParams params = charge(100, "eur", "tok_visa_chargeDeclined").build();
    CardException declined =
        thrown(CardException.class, () -> client.v1().charges().create(params));
    equal("status", declined.getStatusCode(), 402);
    equal("code", declined.getCode(), "card_declined");
    equal("decline_code", declined.getDeclineCode(), "generic_decline");
    equal("request_id", declined.getRequestId().substring(0, 4), "req_");
    ok("declined card");

    StripeClient stranger = connect(System.getenv("REVOKED_KEY"));
    AuthenticationException refused =
        thrown(AuthenticationException.class, () -> stranger.v1().charges().list());
    equal("status", refused.getStatusCode(), 401);
    ok("revoked key");
  }

  static void ok(String check) {
    System.out.println("ok " + check);
  }

  static void equal(String what, Object found, Object expected) {
    if (Objects.equals(found, expected)) return;
    throw new AssertionError(what + " is " + found + ", not " + expected);
  }

  /** Unix seconds of the last ten minutes. */
  static void recent(String what, Long seconds) {
    Duration age = Duration.between(Instant.ofEpochSecond(seconds), Instant.now());
    if (age.abs().toMinutes() < 10) return;
    throw new AssertionError(what + " is " + seconds + ", which is not now");
  }

  static <Kind extends Exception> Kind thrown(Class<Kind> kind, Call call) {
    try {
      call.run();
    } catch (Exception failure) {
      if (kind.isInstance(failure)) return kind.cast(failure);
      throw new AssertionError("not a " + kind.getName(), failure);
    }
    throw new AssertionError("The call succeeded.");
  }
}
