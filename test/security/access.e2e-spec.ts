import './accounts.suite.js';
import './admin-access.suite.js';
import './form-token.suite.js';
import './key-access.suite.js';
import './metrics-key.suite.js';
import './roles.suite.js';
