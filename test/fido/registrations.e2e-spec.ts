import './audit-first.suite.js';
import './begin-registration.suite.js';
import './former-users.suite.js';
import './names.suite.js';
import './order.suite.js';
import './phone-attestation.suite.js';
import './registration.suite.js';
import './user-ids.suite.js';
