import { ServiceFidoError } from '@servicefido/node';
import { fido } from '../../../../lib/fido.js';
import { beginSession, currentUser, users } from '../../../../lib/sessions.js';

/** Handlers of the browser SDK's calls. The begin calls copy only the named members of the page's request. */
const CALLS = {
  // A signed-in user may add a key; ServiceFido requires nothing else, because it trusts the application key.
  async 'register/begin'({ residentKey }) {
    const username = await currentUser();
    if (username === undefined) return undefined;
    const { id: userId } = users.get(username);
    return fido().beginRegistration({ username, displayName: username, userId, residentKey });
  },
  'register/complete': (body) => fido().completeRegistration(body),
  // Reports a prompt that ended without a key, for the figures of ServiceFido.
  'register/given-up': (body) => fido().giveUpRegistration(body),
  'authenticate/given-up': (body) => fido().giveUpAuthentication(body),
  'authenticate/begin': ({ username, mediation }) =>
    fido().beginAuthentication({ username, mediation }),
  async 'authenticate/complete'(body) {
    const answer = await fido().completeAuthentication(body);
    await beginSession(answer.username);
    return answer;
  },
};

export async function POST(request, { params }) {
  const { ceremony, step } = await params;
  try {
    const answer = await CALLS[`${ceremony}/${step}`]?.(await request.json());
    return answer ? Response.json(answer) : new Response(null, { status: 401 });
  } catch (error) {
    if (!(error instanceof ServiceFidoError) || error.status === 0) throw error;
    return Response.json(error.answer, { status: error.status });
  }
}
