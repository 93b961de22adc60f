import './directory.suite.js';
import './removal.suite.js';
import './tenant-accounts.suite.js';
import './tenant-display-names.suite.js';
import './tenant-header.suite.js';
import './tenant-pages.suite.js';
import './tenants.suite.js';
