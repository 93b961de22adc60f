import './baseline.suite.js';
import './entities.suite.js';
import './every-statement.suite.js';
import './migrations.suite.js';
import './session-variables.suite.js';
import './sql-mode.suite.js';
import './statements.suite.js';
import './tenant-columns.suite.js';
