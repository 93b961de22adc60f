import './bearer.suite.js';
import './confirmation.suite.js';
import './application-calls.suite.js';
import './permission.suite.js';
import './signing-keys-reading.suite.js';
import './token.suite.js';
