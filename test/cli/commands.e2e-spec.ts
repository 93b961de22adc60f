import './application-keys.suite.js';
import './backup.suite.js';
import './command-jobs.suite.js';
import './flags.suite.js';
import './help.suite.js';
import './relying-parties.suite.js';
import './webhooks.suite.js';
