import './audit.suite.js';
import './audit-chain.suite.js';
import './audit-cli.suite.js';
import './audit-erasure.suite.js';
import './audit-key.suite.js';
import './audit-key-cli.suite.js';
import './audit-seal.suite.js';
import './audit-search.suite.js';
