import './billing-model.suite.js';
import './busy-invoice.suite.js';
import './invoice.suite.js';
import './moved-users.suite.js';
