import './sign-in-page.suite.js';
