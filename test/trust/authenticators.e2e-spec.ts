import './android-revocations.suite.js';
import './known-models.suite.js';
import './metadata.suite.js';
import './model-use.suite.js';
import './lost-model.suite.js';
import './models-page.suite.js';
import './platform-attestation.suite.js';
import './revocation-lists.suite.js';
