import './attacks.suite.js';
import './clients.suite.js';
import './sign-in.suite.js';
