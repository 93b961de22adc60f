import './contended-changes.suite.js';
import './list-is-change.suite.js';
import './groups.suite.js';
import './manage-users.suite.js';
import './manage-users-changes.suite.js';
import './manage-users-matching.suite.js';
import './moving-people.suite.js';
import './namesakes.suite.js';
