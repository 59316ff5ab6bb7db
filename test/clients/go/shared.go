// What the programs of both versions share; it knows no SDK.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"time"
)

// A signed request of the API to this program.
type delivery struct {
	body   []byte
	header string
}

func ok(check string) {
	fmt.Printf("ok %s\n", check)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func equal[Value any](what string, found, expected Value) {
	if !reflect.DeepEqual(found, expected) {
		panic(fmt.Sprintf("%s is %v, not %v", what, found, expected))
	}
}

// recent demands Unix seconds of the last ten minutes.
func recent(what string, seconds int64) {
	if age := time.Since(time.Unix(seconds, 0)); age.Abs() > 10*time.Minute {
		panic(fmt.Sprintf("%s is %d, which is not now", what, seconds))
	}
}

// startReceiver listens on loopback, answers 200, and hands over what arrives.
func startReceiver() (string, <-chan delivery) {
	arrived := make(chan delivery, 10)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	receive := func(_ http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		must(err)
		arrived <- delivery{body, request.Header.Get("Service-Signature")}
	}
	go func() { must(http.Serve(listener, http.HandlerFunc(receive))) }()
	return fmt.Sprintf("http://%s/hook", listener.Addr()), arrived
}

func next(arrived <-chan delivery) delivery {
	select {
	case received := <-arrived:
		return received
	case <-time.After(30 * time.Second):
		panic("no delivery arrived within 30 s")
	}
}
