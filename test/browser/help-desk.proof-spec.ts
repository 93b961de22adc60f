import { shareBrowser } from './support/browser.js';
import './delete-list.suite.js';
import './foreign-changes.suite.js';
import './invitation-message.suite.js';
import './lost-model.suite.js';
import './shown-once.suite.js';
import './slow-search.suite.js';
import './users.suite.js';

shareBrowser();
