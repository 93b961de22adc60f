import { shareBrowser } from './support/browser.js';
import './demo.suite.js';
import './insecure.suite.js';
import './nameless.suite.js';
import './single-sign-on.suite.js';
import './sdk.suite.js';

shareBrowser();
