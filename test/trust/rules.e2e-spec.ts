import './findings.suite.js';
import './policy.suite.js';
import './policy-trial.suite.js';
import './sign-in-policy.suite.js';
import './whitelist.suite.js';
import './whitelist-reading.suite.js';
