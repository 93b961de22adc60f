import { loadOptions } from './load-options.js';
import { OptionMistakes } from './option-types.js';

/** The mistakes of a start by npm that passes on these arguments and environment variables. */
function mistakesOf(argv: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadOptions(argv, env);
    return [];
  } catch (error) {
    if (error instanceof OptionMistakes) return error.mistakes;
    throw error;
  }
}

const ADVICE = 'npm has taken options for itself, so nothing was started. Write them so: ';

describe('options that npm takes for itself', () => {
  it.each<[string, string, string[], NodeJS.ProcessEnv, string]>([
    ['npm start --port=8081', 'start', [], { npm_config_port: '8081' }, 'npm start -- --port 8081'],
    [
      'npm start --port 8081',
      'start',
      ['8081'],
      { npm_config_port: 'true' },
      'npm start -- --port …',
    ],
    [
      'npm run dev --verify --no-jwt',
      'dev',
      [],
      { npm_config_verify: 'true', npm_config_jwt: '' },
      'npm run dev -- --verify --jwt off',
    ],
    [
      'npx --config=fido.yaml --jwt-ttl=60 servicefido',
      'npx',
      [],
      { npm_config_config: 'fido.yaml', npm_config_jwt_ttl: '60' },
      './servicefido --jwt-ttl 60 --config fido.yaml',
    ],
  ])('%s is refused with the right command', (_, script, argv, variables, right) => {
    const env = { npm_lifecycle_event: script, ...variables };
    expect(mistakesOf(argv, env)).toEqual([ADVICE + right]);
  });

  it('variables of npm’s own settings are ignored', () => {
    const env = { npm_lifecycle_event: 'start', npm_config_noproxy: '', npm_config_cache: '/npm' };
    expect(mistakesOf([], env)).toEqual([]);
  });

  it('variables of npm are ignored if npm did not start the server', () => {
    expect(mistakesOf([], { npm_config_port: '8081' })).toEqual([]);
  });
});
