import { shareBrowser } from './support/browser.js';
import './cross-origin.suite.js';
import './docs.suite.js';
import './invoice.suite.js';
import './pages.suite.js';
import './walk.suite.js';

shareBrowser();
