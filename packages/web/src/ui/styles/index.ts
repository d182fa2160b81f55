// The library's styles sit in a cascade layer, ours do not: ours always win, whatever the order of loading.
// Only what the first screens need; a feature that uses another component imports that component's file itself.
import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/global.layer.css";
import "@mantine/core/styles/UnstyledButton.layer.css";
import "@mantine/core/styles/CloseButton.layer.css";
import "@mantine/core/styles/ActionIcon.layer.css";
import "@mantine/core/styles/Input.layer.css";
import "@mantine/core/styles/Paper.layer.css";
import "@mantine/core/styles/Popover.layer.css";
import "@mantine/core/styles/Menu.layer.css";
import "./theme-variables.css";
import "./tokens.css";
import "./global.css";
import "./mantine-overrides.css";
import "./shared.css";
