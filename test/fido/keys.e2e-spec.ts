import './invitations.suite.js';
import './lock-out.suite.js';
import './move.suite.js';
import './move-decisions.suite.js';
import './move-namesakes.suite.js';
import './my-keys.suite.js';
import './stored-keys.suite.js';
import './upgrade.suite.js';
