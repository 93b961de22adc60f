import './application-keys.suite.js';
import './backup.suite.js';
import './webhooks.suite.js';
