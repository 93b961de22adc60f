import { connect } from 'node:net';
import { jest } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { UploadCleanup } from '../../src/user-admin/lists/upload-cleanup.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import {
  BOUNDARY,
  UPLOAD,
  filePart,
  multipart,
  postBody,
  postList,
  type Part,
} from '../support/list-upload.js';
import { Places } from '../support/settled-users.js';
import { countOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('the upload of a list, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let places: Places;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    places = new Places(server);
    admin = await places.open(
      'anna',
      'bert',
      'émile',
      "o'brien",
      'a*',
      '=1+1',
      'username',
      'eve, the 2nd',
      'Greta.Smith@example.com',
    );
  });
  afterAll(() => server.stop());

  type Answered = Awaited<ReturnType<typeof postList>>;

  it('reports for each line whether it is a user and the number of credentials', async () => {
    const answer = await postList(admin, UPLOAD, 'anna\nnobody\n\nbert\n');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: 'ok',
      errorMessage: '',
      total: 3,
      found: 2,
      missing: 1,
      invalid: 0,
      users: [
        { username: 'anna', line: 1, found: true, credentials: 1 },
        { username: 'nobody', line: 2, found: false, credentials: 0 },
        { username: 'bert', line: 4, found: true, credentials: 1 },
      ],
      uploadId: expect.stringMatching(/^[\w-]{22}$/) as string,
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['LF', 'anna\nbert\n'],
    ['CRLF', 'anna\r\nbert\r\n'],
    ['CR', 'anna\rbert\r'],
    ['a mixture, and empty lines', '\nanna\r\n\r\r\nbert\n\n\n'],
    ['no line end at the end', 'anna\nbert'],
  ])('accepts lines that end in %s', async (_, text) => {
    expect(found(await postList(admin, UPLOAD, text))).toEqual(['anna true', 'bert true']);
  });

  it.each([
    ['LE', Buffer.from('\ufeffémile\r\nbert', 'utf16le')],
    ['BE', Buffer.from('\ufeffémile\r\nbert', 'utf16le').swap16()],
    ['LE as CSV of Excel', Buffer.from('\ufeffName\tUPN\r\nÉ\témile\r\nB\tbert\r\n', 'utf16le')],
  ])('reads UTF-16 %s with a byte order mark', async (_, content) => {
    const answer = await postBody(admin, UPLOAD, multipart([filePart(content)]));
    expect(found(answer)).toEqual(['émile true', 'bert true']);
  });

  it('ignores a byte order mark', async () => {
    expect(found(await postList(admin, UPLOAD, '\ufeffanna\nbert'))).toEqual([
      'anna true',
      'bert true',
    ]);
  });

  it('ignores empty lines and white space around names', async () => {
    const answer = await postList(admin, UPLOAD, 'anna \n\tbert\u00a0\n  \n');
    expect(found(answer)).toEqual(['anna true', 'bert true']);
    expect(answer.body).toMatchObject({ total: 2, found: 2, missing: 0, invalid: 0 });
  });

  it('reports names that exist in another case, which are not deleted', async () => {
    const answer = await postList(admin, UPLOAD, 'greta.smith@EXAMPLE.com\nGreta Smith\nANNA\n');
    expect(answer.body['users']).toMatchObject([
      { found: false, similar: ['Greta.Smith@example.com'] },
      { found: false },
      { found: false, similar: ['anna'] },
    ]);
    expect(answer.body).toMatchObject({ found: 0, missing: 3 });
  });

  it('treats asterisks and percent signs literally', async () => {
    expect(found(await postList(admin, UPLOAD, '*\na*\n%\nann_\n'))).toEqual([
      '* false',
      'a* true',
      '% false',
      'ann_ false',
    ]);
  });

  it('reports a name once in any spelling', async () => {
    const answer = await postList(admin, UPLOAD, 'émile\ne\u0301mile\nanna\nanna\nAnna\n');
    expect(found(answer)).toEqual(['émile true', 'anna true', 'Anna false']);
    expect(answer.body).toMatchObject({ total: 3, found: 2, missing: 1 });
  });

  it('reports lines that cannot be names, and continues', async () => {
    const long = 'x'.repeat(10_240);
    const text = `anna\nbe\0rt\na\u0007b\n${long}\n\u202eeve\nbert\n`;
    expect(found(await postList(admin, UPLOAD, text))).toEqual([
      'anna true',
      'be\0rt invalid',
      'a\u0007b invalid',
      `${'x'.repeat(60)} invalid`,
      '\u202eeve invalid',
      'bert true',
    ]);
  });

  it('treats quotes and commas in a plain list as part of the name', async () => {
    expect(found(await postList(admin, UPLOAD, 'eve, the 2nd\n"anna"\no\'brien\n'))).toEqual([
      'eve, the 2nd true',
      '"anna" false',
      "o'brien true",
    ]);
  });

  it.each([
    ['comma', 'id,Username,mail\r\n1,anna,x\r\n2,"eve, the 2nd",y\r\n'],
    ['semicolon', 'username;id\nanna;1\n"eve, the 2nd";2\n'],
    ['tab', '\ufeff"username"\tid\nanna\t1\neve, the 2nd\t2\n'],
    ['one column', 'username\nanna\n"eve, the 2nd"\n'],
    ...['User', 'EMAIL', 'e-Mail', 'login', 'Upn'].map((name): [string, string] => [
      `a column ${name}`,
      `id,${name}\n1,anna\n2,"eve, the 2nd"\n`,
    ]),
    ['of two such the better', 'Email,User\nx,anna\ny,"eve, the 2nd"\n'],
    ['Excel’s separator', 'sep=;\r\nid;username\r\n1;anna\r\n2;"eve, the 2nd"\r\n'],
    ['a separator of its own', '"sep=|"\nmail|id\nanna|1\neve, the 2nd|2\n'],
    [
      'users of Entra',
      'userPrincipalName,displayName,surname,mail,givenName,objectId\nanna,A,,x,,1\n"eve, the 2nd",E,,y,,2\n',
    ],
    [
      'Entra’s template',
      'version:v1.0,\nUser name [userPrincipalName] Required,\nanna,\n"eve, the 2nd",\n',
    ],
    [
      'Active Directory by PowerShell 5',
      '#TYPE Microsoft.ActiveDirectory.Management.ADUser\r\n' +
        '"DistinguishedName","Name","SamAccountName","UserPrincipalName"\r\n' +
        '"CN=A,DC=x","A","a","anna"\r\n"CN=E,DC=x","E","e","eve, the 2nd"\r\n',
    ],
    ['Active Directory by csvde', 'DN,sAMAccountName\n"CN=A,DC=x",anna\n"CN=E","eve, the 2nd"\n'],
    ['Microsoft 365', 'Display name,User principal name\nA,anna\nE,"eve, the 2nd"\n'],
    ['Okta', 'login,firstName,lastName,email\nanna,A,A,x\n"eve, the 2nd",E,E,y\n'],
    [
      'Google',
      'First Name [Required],Last Name [Required],Email Address [Required]\nA,A,anna\nE,E,"eve, the 2nd"\n',
    ],
  ])('reads CSV with a column username: %s', async (_, text) => {
    expect(found(await postList(admin, UPLOAD, text))).toEqual(['anna true', 'eve, the 2nd true']);
  });

  it.each([
    ['"Login, e-mail, phone";username', '"x";anna'],
    ['"Name; user; more","username"', '"x","anna"'],
    ['"a\tuser\tb"\tusername', 'x\tanna'],
  ])('separates columns by the heading %j outside quotes only', async (heading, row) => {
    expect(found(await postList(admin, UPLOAD, `${heading}\n${row}\n`))).toEqual(['anna true']);
  });

  it('skips the heading, and reads CSV names that are quoted, span lines or are missing', async () => {
    const text = 'username,x\n"two\nlines",1\nusername,2\n"an""na",3\n,4\nbert\n';
    expect(found(await postList(admin, UPLOAD, text))).toEqual([
      'two\nlines invalid',
      'username true',
      'an"na false',
      ' invalid',
      'bert true',
    ]);
  });

  it.each([
    ['two columns', 'anna;Anna A.\nbert;Bert B.\n'],
    ['columns of another heading', 'Person,Dept\r\nanna,IT\r\nbert,HR\r\n'],
    ['columns between tabs', 'anna\tAnna\nbert\tBert'],
    ['a separator and no known heading', 'sep=;\nPerson;Dept\nanna;IT\n'],
    ['many lines of columns', 'anna,1\n'.repeat(5000)],
  ])('refuses %s, since no column has user names', async (_, text) => {
    let answer: Answered | undefined;
    await expectRefused(async () => (answer = await postList(admin, UPLOAD, text)));
    expect(answer?.body['reason']).toBe('list.noNames');
  });

  it('reads plain lists of names with commas', async () => {
    const answer = await postList(admin, UPLOAD, 'eve, the 2nd\nanna, the 1st\n');
    expect(found(answer)).toEqual(['eve, the 2nd true', 'anna, the 1st false']);
  });

  it('takes off the apostrophes that the server’s own CSV puts before formulas', async () => {
    const list = await admin.get('/userapi/manageusers', { accept: 'text/csv' });
    expect(list.text).toContain(`"'=1+1"`);
    const names = found(await postList(admin, UPLOAD, list.text));
    expect(names).toContain('=1+1 true');
    expect(names.every((name) => name.endsWith(' true'))).toBe(true);
    expect(found(await postList(admin, UPLOAD, "'=1+1\n"))).toEqual(["'=1+1 false"]);
  });

  it.each([
    ['an open quote', 'username,x\n"anna,1\n'],
    ['a quote in the middle', 'username,x\nan"na,1\n'],
  ])('refuses CSV with %s', (_, text) => expectRefused(() => postList(admin, UPLOAD, text)));

  it.each<[string, Buffer]>([
    ['UTF-16 LE with half a character', Buffer.from('\ufeffanna\nbert', 'utf16le').subarray(0, -1)],
    ['UTF-16 LE with half a pair', Buffer.from('\ufeffanna\n\ud83d', 'utf16le')],
    ['UTF-16 LE without', Buffer.from('anna\nbert', 'utf16le')],
    ['UTF-16 BE without', Buffer.from('anna\nbert', 'utf16le').swap16()],
    ['Latin-1', Buffer.from('anna\némile\n', 'latin1')],
    ['Shift-JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x0a])],
    ['a cut-off character', Buffer.from('anna\né').subarray(0, -1)],
    ['Latin-1 far behind', Buffer.concat([Buffer.from('anna\n'.repeat(20_000)), Buffer.of(0xe9)])],
    ['ZIP', Buffer.from('PK\u0005\u0006\0\0\0\0')],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
    ['PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
    ['ELF', Buffer.from('\u007fELF\u0002\u0001\u0001\0\0\0')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
  ])('refuses %s, whatever its content type says', async (_, content) => {
    const part = { ...filePart(content), type: 'text/csv' };
    await expectRefused(() => postBody(admin, UPLOAD, multipart([part])));
  });

  it.each([
    ['XLSX', [...Buffer.from('PK\u0003\u0004'), 0x14, 0, 0x08, 0xff, 0xfe]],
    ['XLS', [0xd0, 0xcf, 0x11, 0xe0, 0xa1]],
  ])('refuses %s with a sentence on how to save it', async (_, bytes) => {
    const sent = multipart([filePart(Buffer.from(bytes))]);
    let sentence: unknown;
    await expectRefused(async () => {
      const answer = await postBody(admin, UPLOAD, sent);
      sentence = answer.body['errorMessage'];
      return answer;
    });
    expect(sentence).toMatch(/spreadsheet.*save it as "CSV UTF-8"/);
  });

  it.each<[string, Part[]]>([
    ['an empty file', [filePart('')]],
    ['empty lines only', [filePart('\n\r\n\n')]],
    ['a heading only', [filePart('username\n')]],
    ['no part', []],
    ['a field instead of a file', [{ disposition: 'form-data; name="file"', content: 'anna' }]],
    [
      'an empty field name',
      [{ ...filePart('anna'), disposition: 'form-data; name=""; filename="x"' }],
    ],
    ['no field name', [{ ...filePart('anna'), disposition: 'form-data; filename="x"' }]],
    ['another disposition', [{ ...filePart('anna'), disposition: 'attachment; filename="x"' }]],
    ['two files', [filePart('anna'), filePart('bert')]],
    ['a line of 100 MB', [filePart('x'.repeat(200_000))]],
    ['500 files', Array.from({ length: 500 }, () => filePart('anna'))],
    [
      '20,000 fields',
      Array.from({ length: 20_000 }, (_, n) => ({
        disposition: `form-data; name="f${n}"`,
        content: '',
      })),
    ],
    ['a header of 1 MB', [{ ...filePart('anna'), type: `text/plain; x=${'y'.repeat(1e6)}` }]],
  ])('refuses a body with %s in a part', (_, parts) =>
    expectRefused(() => postBody(admin, UPLOAD, multipart(parts))),
  );

  it('accepts a file beside a few other fields, and one without a file name', async () => {
    const token = { disposition: 'form-data; name="formToken"', content: 'x' };
    const body = multipart([token, filePart('anna', ''), token]);
    expect((await postBody(admin, UPLOAD, body)).status).toBe(200);
  });

  it.each(['file', 'list', 'users', 'userfile', '文件', 'x[]'])(
    'accepts a file in a part of any name: %s',
    async (name) => {
      const disposition = `form-data; name="${name}"; filename="x"`;
      const body = multipart([{ ...filePart('anna'), disposition }]);
      expect(await postBody(admin, UPLOAD, body)).toMatchObject({
        status: 200,
        body: { total: 1 },
      });
    },
  );

  it.each(['../../x', 'C:\\\\x', 'x\\0.csv', 'x'.repeat(4000), '<b>', 'CON', '%00'])(
    'ignores the file name %.20s',
    async (name) => {
      const answer = await postBody(admin, UPLOAD, multipart([filePart('anna', name)]));
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(name);
    },
  );

  it.each<[string, Buffer, string]>([
    ['no boundary in the header', multipart([filePart('anna')]), 'multipart/form-data'],
    ['an empty one', multipart([filePart('anna')]), 'multipart/form-data; boundary='],
    [
      'another one',
      multipart([filePart('anna')], 'other'),
      `multipart/form-data; boundary=${BOUNDARY}`,
    ],
    [
      'one of 1 KB that is not there',
      multipart([filePart('anna')]),
      `multipart/form-data; boundary=${'b'.repeat(1024)}`,
    ],
    [
      'no end',
      multipart([filePart('anna\n')]).subarray(0, -BOUNDARY.length - 8),
      `multipart/form-data; boundary=${BOUNDARY}`,
    ],
    [
      'an end in the middle of a header',
      multipart([filePart('anna\n')]).subarray(0, 60),
      `multipart/form-data; boundary=${BOUNDARY}`,
    ],
    [
      'LF line ends',
      Buffer.from(
        multipart([filePart('anna')])
          .toString()
          .replaceAll('\r\n', '\n'),
      ),
      `multipart/form-data; boundary=${BOUNDARY}`,
    ],
    ['nothing', Buffer.alloc(0), `multipart/form-data; boundary=${BOUNDARY}`],
  ])('refuses a multipart body with %s', async (_, body, type) => {
    const init = {
      method: 'POST',
      body: body as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': type },
    };
    await expectRefused(() => admin.send(UPLOAD, init));
    expect((await postList(admin, UPLOAD, 'anna')).status).toBe(200);
  });

  it('accepts a quoted boundary', async () => {
    const init = {
      method: 'POST',
      body: multipart([filePart('anna')]) as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': `multipart/form-data; boundary="${BOUNDARY}"` },
    };
    expect((await admin.send(UPLOAD, init)).status).toBe(200);
  });

  it('refuses another content type (E0048R)', () =>
    expectRefused(() => admin.post(UPLOAD, { users: ['anna'] }), 415, 'E0048R'));

  it('accepts 64 MiB and not a byte more', async () => {
    const line = Buffer.from(`${'x'.repeat(32 * 1024 - 1)}\n`);
    const whole = Buffer.concat(Array.from({ length: 2048 }, () => line));
    const taken = await postList(admin, UPLOAD, whole);
    expect(taken.body).toMatchObject({ status: 'ok', total: 2048, invalid: 2048 });
    await expectRefused(
      () => postList(admin, UPLOAD, Buffer.concat([whole, Buffer.from('y')])),
      413,
      'E0041R',
    );
  });

  it('refuses a larger Content-Length before it reads the body', async () => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST ${UPLOAD} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${admin.headers['authorization']}\r\n` +
        `X-ServiceFido-RelyingParty: ${admin.headers['x-servicefido-relyingparty']}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000000000\r\n\r\n`,
    );
    const [chunk] = (await new Promise<Buffer[]>((resolve) =>
      socket.once('data', (data) => resolve([data])),
    )) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('stores no name of a list that was cut off at any point', async () => {
    const before = await stored();
    const body = multipart([
      filePart(Array.from({ length: 20_000 }, (_, n) => `user-${n}\n`).join('')),
    ]);
    const { port } = new URL(server.url);
    const head =
      `POST ${UPLOAD} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${admin.headers['authorization']}\r\n` +
      `X-ServiceFido-RelyingParty: ${admin.headers['x-servicefido-relyingparty']}\r\n` +
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (let n = 0; n < 25; n += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      const end = Math.floor(Math.random() * (body.length - 1));
      await new Promise((resolve) => {
        socket.on('close', resolve).on('error', () => undefined);
        socket.write(head);
        socket.write(body.subarray(0, end), () => socket.destroy());
      });
    }
    await eventually(async () => expect(await stored()).toEqual(before));
    // A busy server may not have noticed each lost connection yet: it takes four uploads at a time.
    const next = async () => expect((await postList(admin, UPLOAD, 'anna')).status).toBe(200);
    await eventually(next);
  });

  it('keeps the eight newest lists of an account, and those of other accounts', async () => {
    const other = new AdminClient(server.url, 'localhost', {
      ...clientOf(server.url, 'helpdesk').headers,
    });
    const kept = "uploads WHERE account = ? AND state = 'ready'";
    const of = (account: string) => countOf(server, kept, Buffer.from(account));
    await rowsOf(server, 'DELETE FROM upload_lines');
    await rowsOf(server, 'DELETE FROM uploads');
    await postList(other, UPLOAD, 'anna');
    for (let n = 0; n < 10; n += 1) {
      expect((await postList(admin, UPLOAD, 'anna')).status).toBe(200);
      // A list that has just arrived may be about to be used.
      server.clock.advance(15_000);
    }
    expect([await of('admin'), await of('helpdesk')]).toEqual([8, 1]);
  });

  it('refuses the fifth simultaneous list of an account, but none of another', async () => {
    const other = new AdminClient(server.url, 'localhost', {
      ...clientOf(server.url, 'helpdesk').headers,
    });
    const { port } = new URL(server.url);
    const body = multipart([filePart('anna\n'.repeat(100))]);
    const receiving = () => countOf(server, "uploads WHERE state = 'receiving'");
    // Other connections are closed after ten silent seconds; a busy machine may take as long.
    const { timeout } = server.http;
    server.http.setTimeout(0);
    const sockets = Array.from({ length: 4 }, () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `POST ${UPLOAD} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${admin.headers['authorization']}\r\n` +
          `X-ServiceFido-RelyingParty: ${admin.headers['x-servicefido-relyingparty']}\r\n` +
          `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body.subarray(0, -10));
      return socket;
    });
    await eventually(async () => expect(await receiving()).toBe(4));
    const refused = await postList(admin, UPLOAD, 'anna');
    expect(refused).toMatchObject({ status: 429, body: { errorCode: 'E0040R' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await postList(other, UPLOAD, 'anna')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    server.http.setTimeout(timeout);
    await eventually(async () => {
      expect((await postList(admin, UPLOAD, 'anna')).status).toBe(200);
    });
  });

  it('deletes lists after an hour', async () => {
    await postList(admin, UPLOAD, Array.from({ length: 2500 }, (_, n) => `user-${n}`).join('\n'));
    server.clock.advance(3_700_000);
    const commit = jest.spyOn(server.get(Database), 'commit');
    await server.get(UploadCleanup).runNow();
    expect(await stored()).toEqual([0, 0]);
    // Simultaneous sign-ins take precedence.
    const units = commit.mock.calls.filter(
      ([[step]]) => step && 'sql' in step && step.sql.includes('upload_lines'),
    );
    expect(units.length).toBeGreaterThanOrEqual(3);
    for (const [, options] of units) expect(options).toEqual({ background: true });
    commit.mockRestore();
  });

  it('is refused if it names none of several relying parties (E0025R)', async () => {
    const nowhere = new AdminClient(server.url);
    await expectRefused(() => postList(nowhere, UPLOAD, 'anna'), 400, 'E0025R');
  });

  async function stored() {
    return [await countOf(server, 'uploads'), await countOf(server, 'upload_lines')];
  }

  async function expectRefused(call: () => Promise<Answered>, status = 400, errorCode = 'E0045R') {
    const before = await stored();
    expect(await call()).toMatchObject({ status, body: { status: 'failed', errorCode } });
    await eventually(async () => expect(await stored()).toEqual(before));
  }

  function found({ body }: Answered) {
    return (body['users'] as { username: string; found: boolean; invalid?: true }[]).map(
      ({ username, found: is, invalid }) => `${username} ${invalid ? 'invalid' : is}`,
    );
  }
});
