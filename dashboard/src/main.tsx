// Entry point of the page: theme first, then sign-in, then rendering.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/list.css";
import "./styles/run.css";
import "./styles/matrix.css";
import "./styles/detail.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { watchPlace } from "./router.ts";
import { signIn } from "./session.ts";
import { watchKeys } from "./shortcuts.ts";
import { applyTheme } from "./theme.ts";

applyTheme();
await signIn();
watchPlace();
watchKeys();
// A second link opened in the same tab changes only the fragment.
addEventListener("hashchange", () => void signIn());
const page = document.getElementById("page");
if (page) render(<App />, page);
