import './bombs.suite.js';
import './cross-site.suite.js';
import './leaks.suite.js';
import './rate-limits.suite.js';
import './sealed-secrets.suite.js';
