import './database.suite.js';
import './leases.suite.js';
import './ledger.suite.js';
import './lookups.suite.js';
import './redis-link.suite.js';
import './table.suite.js';
import './unit-outcomes.suite.js';
