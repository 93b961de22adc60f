import './transfer.suite.js';
import './upload.suite.js';
