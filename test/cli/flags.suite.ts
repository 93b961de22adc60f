import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { commandsOn } from '../support/command.js';
import { TestServer } from '../support/test-server.js';

describe('the flags of a command', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const add = (domain: string, ...flags: string[]) =>
    commandsOn(server.database)('relying-party', 'add', 'default', domain, ...flags);

  it('relying-party add takes --origin as --allow-origin, each any number of times', async () => {
    const origins = ['https://shop.example', 'https://a.shop.example'];
    const more = ['https://b.shop.example', 'https://c.shop.example'];
    const run = await add(
      'shop.example',
      ...origins.flatMap((origin) => ['--origin', origin]),
      ...['--allow-origin', more.join(', ')],
    );
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const added = await server.get(TenancyService).relyingParty('default', 'shop.example');
    expect(added.origins).toEqual([...origins, ...more]);
  });

  it('a flag of a command that takes one value is refused if it is given twice', async () => {
    const names = ['--name', 'Shop', '--name', 'Store'];
    const run = await add('store.example', ...names);
    expect(run).toMatchObject({ code: 2, stderr: '--name: was given more than once\n' });
  });
});
