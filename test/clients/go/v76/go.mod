module client

go 1.23

require github.com/stripe/stripe-go/v76 v76.25.0
