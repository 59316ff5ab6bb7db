/** How the code of one language on the page is compiled and run. */
export interface ReceiverProgram {
  /** The language of the fenced block. */
  readonly language: string;
  /** What the machine needs on its PATH. */
  readonly tools: readonly string[];
  /** Where the block of the page goes. */
  readonly file: string;
  /**
   * The other files. Their program reads one delivery a line: `service` or `webhook`, the time, the
   * secrets, and in base64 the body, the id, the timestamp and the signatures, with tabs between
   * them. It prints `true` or `false` for each.
   */
  readonly others: Readonly<Record<string, string>>;
  /** A shell command, run in the folder of the files. */
  readonly command: string;
}

const node: ReceiverProgram = {
  language: 'js',
  tools: ['node'],
  file: 'signature.mjs',
  others: {
    'main.mjs': `
import { readFileSync } from 'node:fs';
import { verifyServiceSignature, verifyWebhookSignature } from './signature.mjs';
for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) {
  const [kind, now, secrets, ...encoded] = line.split('\\t');
  const [body, ...texts] = encoded.map((text) => Buffer.from(text, 'base64'));
  const [id, timestamp, header] = texts.map(String);
  const keys = secrets.split(',');
  console.log(
    kind === 'service'
      ? verifyServiceSignature(body, header, keys, Number(now))
      : verifyWebhookSignature(body, { id, timestamp, header }, keys, Number(now)),
  );
}
`,
  },
  command: 'node main.mjs',
};

const python: ReceiverProgram = {
  language: 'python',
  tools: ['python3'],
  file: 'signature.py',
  others: {
    'main.py': `
import base64, sys
from signature import verify_service_signature, verify_webhook_signature
for line in sys.stdin:
    kind, now, secrets, *encoded = line.rstrip("\\n").split("\\t")
    body, *texts = [base64.b64decode(text) for text in encoded]
    id, timestamp, header = [text.decode() for text in texts]
    keys = secrets.split(",")
    if kind == "service":
        valid = verify_service_signature(body, header, keys, int(now))
    else:
        valid = verify_webhook_signature(body, id, timestamp, header, keys, int(now))
    print(str(valid).lower())
`,
  },
  command: 'python3 main.py',
};

const ruby: ReceiverProgram = {
  language: 'ruby',
  tools: ['ruby'],
  file: 'signature.rb',
  others: {
    'main.rb': `
require_relative "signature"
$stdin.each_line do |line|
  kind, now, secrets, *encoded = line.chomp.split("\\t", -1)
  body, id, timestamp, header = encoded.map { |text| text.unpack1("m0").force_encoding("UTF-8") }
  keys = secrets.split(",")
  puts(
    if kind == "service"
      verify_service_signature(body, header, keys, now.to_i)
    else
      verify_webhook_signature(body, id, timestamp, header, keys, now.to_i)
    end
  )
end
`,
  },
  command: 'ruby main.rb',
};

const go: ReceiverProgram = {
  language: 'go',
  tools: ['go'],
  file: 'webhooks/signature.go',
  others: {
    'go.mod': 'module example\n\ngo 1.20\n',
    'main.go': `
package main

import (
	"bufio"
	"encoding/base64"
	"example/webhooks"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func decode(text string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return bytes
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\\t")
		seconds, _ := strconv.ParseInt(f[1], 10, 64)
		now, keys := time.Unix(seconds, 0), strings.Split(f[2], ",")
		body, id, timestamp, header := decode(f[3]), string(decode(f[4])), string(decode(f[5])), string(decode(f[6]))
		if f[0] == "service" {
			fmt.Println(webhooks.VerifyServiceSignature(body, header, keys, now))
		} else {
			fmt.Println(webhooks.VerifyWebhookSignature(body, id, timestamp, header, keys, now))
		}
	}
}
`,
  },
  command: 'GOFLAGS= GOTOOLCHAIN=local GOPROXY=off go run .',
};

const php: ReceiverProgram = {
  language: 'php',
  tools: ['php'],
  file: 'signature.php',
  others: {
    'main.php': `<?php
require __DIR__ . '/signature.php';
while (($line = fgets(STDIN)) !== false) {
    [$kind, $now, $secrets, $body, $id, $timestamp, $header] = explode("\\t", rtrim($line, "\\n"));
    [$body, $id, $timestamp, $header] = array_map('base64_decode', [$body, $id, $timestamp, $header]);
    $keys = explode(',', $secrets);
    $valid = $kind === 'service'
        ? verifyServiceSignature($body, $header, $keys, (int) $now)
        : verifyWebhookSignature($body, $id, $timestamp, $header, $keys, (int) $now);
    echo $valid ? "true\\n" : "false\\n";
}
`,
  },
  command: 'php main.php',
};

const java: ReceiverProgram = {
  language: 'java',
  tools: ['java', 'javac'],
  file: 'Signatures.java',
  others: {
    'Main.java': `
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

final class Main {
  public static void main(String[] args) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      String[] f = line.split("\\t", -1);
      long now = Long.parseLong(f[1]);
      List<String> keys = List.of(f[2].split(","));
      byte[] body = Base64.getDecoder().decode(f[3]);
      String header = text(f[6]);
      System.out.println(
          f[0].equals("service")
              ? Signatures.verifyServiceSignature(body, header, keys, now)
              : Signatures.verifyWebhookSignature(body, text(f[4]), text(f[5]), header, keys, now));
    }
  }

  private static String text(String encoded) {
    return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
  }
}
`,
  },
  command: 'javac *.java && java -cp . Main',
};

/** One for each language of the page. */
export const RECEIVER_PROGRAMS: readonly ReceiverProgram[] = [node, python, ruby, go, php, java];
