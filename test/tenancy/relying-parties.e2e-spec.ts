import './audiences.suite.js';
import './cors.suite.js';
import './domain-ownership.suite.js';
import './moves-at-once.suite.js';
import './origins.suite.js';
import './versions.suite.js';
import './well-known.suite.js';
