/** The server and relying party of the first call. */
interface CallTarget {
  /** For example `https://fido.example.com`. */
  readonly origin: string;
  readonly domain: string;
}

const curl = ({ origin, domain }: CallTarget): string => `curl --fail-with-body \\
  -H "Authorization: Bearer $SERVICEFIDO_KEY" \\
  -H 'X-ServiceFido-RelyingParty: ${domain}' \\
  -H 'Content-Type: application/json' \\
  -d '{"username":"alice","displayName":"Alice"}' \\
  ${origin}/fidoapi/register/begin
`;

const node = ({
  origin,
  domain,
}: CallTarget): string => `const answer = await fetch('${origin}/fidoapi/register/begin', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.SERVICEFIDO_KEY}\`,
    'X-ServiceFido-RelyingParty': '${domain}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ username: 'alice', displayName: 'Alice' }),
});
console.log(await answer.text());
`;

const python = ({ origin, domain }: CallTarget): string => `import json, os, urllib.request

request = urllib.request.Request(
    "${origin}/fidoapi/register/begin",
    data=json.dumps({"username": "alice", "displayName": "Alice"}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['SERVICEFIDO_KEY']}",
        "X-ServiceFido-RelyingParty": "${domain}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request, timeout=10) as answer:
    print(json.dumps(json.load(answer)))
`;

/**
 * A registration that an application begins with its key, in three languages. docs/integration.md shows the same
 * snippets, and a test runs each of them.
 */
export const snippetsFor = (target: CallTarget) => [
  { id: 'sh', label: 'curl', code: curl(target) },
  { id: 'js', label: 'Node.js', code: node(target) },
  { id: 'python', label: 'Python', code: python(target) },
];
