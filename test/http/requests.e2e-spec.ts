import './compression.suite.js';
import './connections.suite.js';
import './doors.suite.js';
import './german-pages.suite.js';
import './proxy-faults.suite.js';
import './routes.suite.js';
import './strict-transport.suite.js';
import './transport.suite.js';
