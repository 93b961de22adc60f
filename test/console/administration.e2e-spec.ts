import './accounts.suite.js';
import './first-steps.suite.js';
import './keys.suite.js';
import './sessions.suite.js';
import './setup.suite.js';
import './sign-in.suite.js';
import './sent-twice.suite.js';
import './simultaneous-edits.suite.js';
