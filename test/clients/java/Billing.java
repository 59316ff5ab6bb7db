import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.Customer;
import com.stripe.model.Invoice;
import com.stripe.model.InvoiceLineItem;
import com.stripe.model.InvoicePayment;
import com.stripe.model.PaymentMethod;
import com.stripe.model.Price;
import com.stripe.model.Subscription;
import com.stripe.param.CustomerCreateParams;
import com.stripe.param.InvoiceCreatePreviewParams;
import com.stripe.param.InvoiceListParams;
import com.stripe.param.PaymentMethodAttachParams;
import com.stripe.param.PriceCreateParams;
import com.stripe.param.SubscriptionCreateParams;
import com.stripe.param.SubscriptionUpdateParams;
import java.util.List;

/** Creates, changes and cancels a subscription, and reads its invoices. */
final class Billing {
  private Billing() {}

  static void bill(StripeClient client) throws StripeException {
    CustomerCreateParams ada = CustomerCreateParams.builder().setName("Ada").build();
    Customer customer = client.v1().customers().create(ada);
    PaymentMethodAttachParams to =
        PaymentMethodAttachParams.builder().setCustomer(customer.getId()).build();
    PaymentMethod method = client.v1().paymentMethods().attach("pm_card_visa", to);
    Price basic = sell(client, 1000);
    Price pro = sell(client, 3000);
    Subscription made =
        client
            .v1()
            .subscriptions()
            .create(
                SubscriptionCreateParams.builder()
                    .setCustomer(customer.getId())
                    .addItem(
                        SubscriptionCreateParams.Item.builder().setPrice(basic.getId()).build())
                    .setDefaultPaymentMethod(method.getId())
                    .addExpand("latest_invoice")
                    .build());
    Program.equal("status", made.getStatus(), "active");
    Program.recent("start_date", made.getStartDate());
    Program.equal("paid", made.getLatestInvoiceObject().getAmountPaid(), 1000L);
    Program.ok("create subscription");

    preview(client, made, pro);
    change(client, made, pro);
    readInvoices(client, made);

    Subscription ended = client.v1().subscriptions().cancel(made.getId());
    Program.equal("status", ended.getStatus(), "canceled");
    Program.recent("ended_at", ended.getEndedAt());
    Program.ok("cancel subscription");
  }

  static Price sell(StripeClient client, long amount) throws StripeException {
    return client
        .v1()
        .prices()
        .create(
            PriceCreateParams.builder()
                .setCurrency("eur")
                .setUnitAmount(amount)
                .setProductData(PriceCreateParams.ProductData.builder().setName("Tea").build())
                .setRecurring(
                    PriceCreateParams.Recurring.builder()
                        .setInterval(PriceCreateParams.Recurring.Interval.MONTH)
                        .build())
                .build());
  }

  static void preview(StripeClient client, Subscription made, Price price) throws StripeException {
    InvoiceCreatePreviewParams.SubscriptionDetails change =
        InvoiceCreatePreviewParams.SubscriptionDetails.builder()
            .addItem(
                InvoiceCreatePreviewParams.SubscriptionDetails.Item.builder()
                    .setId(made.getItems().getData().get(0).getId())
                    .setPrice(price.getId())
                    .build())
            .setProrationBehavior(
                InvoiceCreatePreviewParams.SubscriptionDetails.ProrationBehavior.ALWAYS_INVOICE)
            .setProrationDate(made.getStartDate())
            .build();
    Invoice preview =
        client
            .v1()
            .invoices()
            .createPreview(
                InvoiceCreatePreviewParams.builder()
                    .setSubscription(made.getId())
                    .setSubscriptionDetails(change)
                    .build());
    Program.equal("amount_due", preview.getAmountDue(), 2000L);
    Program.equal("the lines", amounts(preview), List.of(-1000L, 3000L));
    Program.ok("preview");
  }

  static void change(StripeClient client, Subscription made, Price price) throws StripeException {
    Subscription changed =
        client
            .v1()
            .subscriptions()
            .update(
                made.getId(),
                SubscriptionUpdateParams.builder()
                    .addItem(
                        SubscriptionUpdateParams.Item.builder()
                            .setId(made.getItems().getData().get(0).getId())
                            .setPrice(price.getId())
                            .build())
                    .setProrationBehavior(SubscriptionUpdateParams.ProrationBehavior.ALWAYS_INVOICE)
                    .setProrationDate(made.getStartDate())
                    .build());
    String found = changed.getItems().getData().get(0).getPrice().getId();
    Program.equal("price", found, price.getId());
    Program.ok("change subscription");
  }

  static void readInvoices(StripeClient client, Subscription made) throws StripeException {
    InvoiceListParams params = InvoiceListParams.builder().setSubscription(made.getId()).build();
    List<Invoice> seen = client.v1().invoices().list(params).getData();
    Program.equal("the number of invoices", seen.size(), 2);
    Program.equal("the lines", amounts(seen.get(0)), List.of(-1000L, 3000L));
    Invoice read = client.v1().invoices().retrieve(seen.get(0).getId());
    String subscription = read.getParent().getSubscriptionDetails().getSubscription();
    Program.equal("parent", subscription, made.getId());
    InvoicePayment payment = read.getPayments().getData().get(0);
    Program.equal("status", payment.getStatus(), "paid");
    String charge = payment.getPayment().getCharge();
    Program.equal("charge", client.v1().charges().retrieve(charge).getAmount(), 2000L);
    Program.recent("paid_at", read.getStatusTransitions().getPaidAt());
    Program.ok("invoices");
  }

  static List<Long> amounts(Invoice invoice) {
    return invoice.getLines().getData().stream().map(InvoiceLineItem::getAmount).toList();
  }
}
