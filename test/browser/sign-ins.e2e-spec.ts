import './demo.suite.js';
import './nameless.suite.js';
import './sdk.suite.js';
