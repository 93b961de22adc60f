import './docs.suite.js';
import './errors.suite.js';
import './every-operation.suite.js';
import './openapi.suite.js';
import './page-or-json.suite.js';
import './unknown-names.suite.js';
