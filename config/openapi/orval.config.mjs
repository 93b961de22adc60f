export default {
  api: {
    input: { target: '../../dist/openapi.json' },
    output: { target: process.env.ORVAL_TARGET, client: 'fetch' },
  },
};
