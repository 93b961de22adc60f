import './delete-list.suite.js';
import './list-keys.suite.js';
import './list-jobs.suite.js';
import './erasure.suite.js';
import './undo.suite.js';
import './opposite-lists.suite.js';
