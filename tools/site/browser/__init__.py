"""The page that scores a pasted table inside the browser, and the program that assembles its folder."""
