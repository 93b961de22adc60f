import './attacks.suite.js';
import './clients.suite.js';
import './external-mfa.suite.js';
import './instances.suite.js';
