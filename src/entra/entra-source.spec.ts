import { EntraSource } from './entra-source.js';

it('EntraSource connects to no private address, whatever a name means', async () => {
  const read = new EntraSource().read(new URL('https://localhost:9/keys'));
  await expect(read).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' });
});
