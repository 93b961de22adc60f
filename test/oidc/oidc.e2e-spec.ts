import './attacks.suite.js';
import './clients.suite.js';
import './docs.suite.js';
import './imported-keys.suite.js';
import './instances.suite.js';
import './lock-outs.suite.js';
import './refusals.suite.js';
import './sign-in.suite.js';
