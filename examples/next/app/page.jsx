import { currentUser } from '../lib/sessions.js';
import { Passkeys } from './passkeys.jsx';

export default async function Page() {
  const username = await currentUser();
  return (
    <main>
      <output>{username === undefined ? 'Signed out' : `Signed in as ${username}`}</output>
      <Passkeys signedIn={username !== undefined} />
    </main>
  );
}
