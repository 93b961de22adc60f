import { shareBrowser } from './support/browser.js';
import './accessibility.suite.js';
import './audit.suite.js';
import './console.suite.js';
import './dashboard.suite.js';
import './handover.suite.js';
import './kept-form.suite.js';
import './languages.suite.js';
import './stopped-server.suite.js';

shareBrowser();
