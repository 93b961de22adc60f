import './demo.suite.js';
import './insecure.suite.js';
import './nameless.suite.js';
import './sdk.suite.js';
