/** A first call in one language. */
export interface Snippet {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

/** Where the first call goes, and for which relying party. */
interface CallTarget {
  /** Such as `https://fido.example.com`. */
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
}: CallTarget): string => `import { ServiceFido } from '@servicefido/node';

const fido = new ServiceFido({
  baseUrl: '${origin}',
  key: process.env.SERVICEFIDO_KEY,
  relyingParty: '${domain}',
});
const begun = await fido.beginRegistration({ username: 'alice', displayName: 'Alice' });
console.log(JSON.stringify(begun));
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
 * A registration that an application begins with its key, in three languages. docs/integration.md shows the same,
 * and a test runs each.
 */
export const snippetsFor = (target: CallTarget): readonly Snippet[] => [
  { id: 'sh', label: 'curl', code: curl(target) },
  { id: 'js', label: 'Node.js', code: node(target) },
  { id: 'python', label: 'Python', code: python(target) },
];
