/** The server and relying party that the snippets call. */
interface CallTarget {
  /** For example `https://fido.example.com`. */
  readonly origin: string;
  readonly domain: string;
}

const curl = ({ origin, domain }: CallTarget): string => `curl --fail-with-body \\
  -H "Authorization: Bearer \${SERVICEFIDO_KEY:?is not set. Set it to the key of the application.}" \\
  -H 'X-ServiceFido-RelyingParty: ${domain}' \\
  -H 'Content-Type: application/json' \\
  -d '{"username":"alice","displayName":"Alice"}' \\
  ${origin}/fidoapi/register/begin
`;

/** The page of both programs. It contains no character that ends or changes a text in JavaScript or Python. */
const page = ({ origin }: CallTarget): string => `<!doctype html>
<title>First sign-in</title>
<button name="register">1. Register a key</button>
<button name="authenticate">2. Sign in</button>
<output></output>
<script type="module">
  import { createClient } from '${origin}/sdk/servicefido.js';
  const fido = createClient({ baseUrl: '' });
  const output = document.querySelector('output');
  for (const button of document.querySelectorAll('button'))
    button.onclick = () =>
      fido[button.name]({ username: 'alice', displayName: 'Alice' }).then(
        (answer) => (output.value = button.textContent + ': done for ' + answer.username),
        (error) => (output.value = error.message),
      );
</script>`;

/** Where the user opens a program: a browser makes keys of a domain only at its origins. */
const opening = ({ domain }: CallTarget): string =>
  domain === 'localhost' ? 'Open' : `Open the origin of ${domain} that leads to`;

const node = (
  target: CallTarget,
): string => `// first-sign-in.mjs: a page and its backend. Start it with: node first-sign-in.mjs
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const key = process.env.SERVICEFIDO_KEY;
if (!key) {
  console.error('SERVICEFIDO_KEY is not set. Set it to the key of the application.');
  process.exit(1);
}
const port = process.env.PORT ?? 3000;

const page = \`${page(target)}\`;

// The backend decides who the user is, not the page. Replace alice by the user who signed in to your application.
const bodyOf = {
  '/fidoapi/register/begin': () => ({ username: 'alice', displayName: 'Alice' }),
  '/fidoapi/register/complete': json,
  '/fidoapi/register/given-up': json,
  '/fidoapi/authenticate/begin': () => ({ username: 'alice' }),
  '/fidoapi/authenticate/complete': json,
  '/fidoapi/authenticate/given-up': json,
};

createServer(async (request, response) => {
  if (request.method === 'GET') {
    return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
  }
  const body = await bodyOf[request.url]?.(request);
  if (!body) return response.writeHead(404).end();
  const answer = await fetch('${target.origin}' + request.url, {
    method: 'POST',
    headers: {
      Authorization: \`Bearer \${key}\`,
      'X-ServiceFido-RelyingParty': '${target.domain}',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  // After authenticate/complete with status 200, begin your session here.
  response
    .writeHead(answer.status, { 'Content-Type': 'application/json' })
    .end(await answer.text());
}).listen(port, 'localhost', () =>
  console.log(\`${opening(target)} http://localhost:\${port}\`),
);
`;

const python = (
  target: CallTarget,
): string => `# first_sign_in.py: a page and its backend. Start it with: python3 first_sign_in.py
import json, os, sys, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = os.environ.get("SERVICEFIDO_KEY")
if not KEY:
    sys.exit("SERVICEFIDO_KEY is not set. Set it to the key of the application.")
PORT = int(os.environ.get("PORT", "3000"))

PAGE = """${page(target)}"""

# The backend decides who the user is, not the page. Replace alice by the user who signed in to your application.
BEGIN = {
    "/fidoapi/register/begin": {"username": "alice", "displayName": "Alice"},
    "/fidoapi/authenticate/begin": {"username": "alice"},
}
PASSED_ON = [
    "/fidoapi/register/complete",
    "/fidoapi/register/given-up",
    "/fidoapi/authenticate/complete",
    "/fidoapi/authenticate/given-up",
]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, "text/html; charset=utf-8", PAGE.encode())

    def do_POST(self):
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path in BEGIN:
            sent = json.dumps(BEGIN[self.path]).encode()
        elif self.path not in PASSED_ON:
            return self.send_error(404)
        request = urllib.request.Request(
            "${target.origin}" + self.path,
            data=sent,
            headers={
                "Authorization": f"Bearer {KEY}",
                "X-ServiceFido-RelyingParty": "${target.domain}",
                "Content-Type": "application/json",
            },
        )
        try:
            answer = urllib.request.urlopen(request, timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        # After authenticate/complete with status 200, begin your session here.
        self.answer(answer.status, "application/json", answer.read())

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("localhost", PORT), Handler)
print(f"${opening(target)} http://localhost:{PORT}", flush=True)
server.serve_forever()
`;

/** A call that shows whether the key and the domain are right. It begins a registration. */
export const firstCall = (target: CallTarget) => ({
  id: 'sh',
  label: 'curl',
  code: curl(target),
});

/**
 * Programs in two languages with which a user registers a key and signs in. docs/integration.md shows the same
 * snippets, and a test runs each of them.
 */
export const programsFor = (target: CallTarget) => [
  { id: 'js', label: 'Node.js', code: node(target) },
  { id: 'python', label: 'Python', code: python(target) },
];
