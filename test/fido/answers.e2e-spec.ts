import './conformance.suite.js';
import './conformance-tool.suite.js';
import './cost.suite.js';
import './refusal-log.suite.js';
import './usual-mistakes.suite.js';
