import './break-glass.suite.js';
import './oidc-client-proof.suite.js';
import './oidc-forged-answers.suite.js';
import './oidc-second-factor.suite.js';
import './oidc-sessions.suite.js';
import './oidc-sign-in.suite.js';
