/** Sends the form of the page at once; without scripts it has a button. */
document.getElementById('form-post').submit();
