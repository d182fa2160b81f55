import type { ReactNode } from "react";
import { Suspense } from "react";
import type { PageRoute } from "../router/index.tsx";
import { Outlet, Routes } from "../router/index.tsx";
import { firstPage, page } from "../ui/lazy-part.tsx";
import { PermittedOnly, SignedInOnly, VisitorsOnly } from "./guards.tsx";
import { PageBoundary, PageLoading } from "./page-states.tsx";
import { pages } from "./pages.ts";

const Shell = firstPage(async () => (await import("./shell/shell.tsx")).Shell);
const LoginPage = page(
  async () => (await import("../features/auth/login-page.tsx")).LoginPage,
  "auth",
);
const ForgetpswPage = page(
  async () => (await import("../features/auth/forgetpsw-page.tsx")).ForgetpswPage,
  "auth",
);
const SignUpPage = page(
  async () => (await import("../features/auth/sign-up-page.tsx")).SignUpPage,
  "auth",
);

const NotFound = page(async () => (await import("./not-found.tsx")).NotFound);
// Reached from the list of campaigns only, so no entry of the menu.
const CampaignReportPage = page(
  async () => (await import("../features/campaigns/campaign-page.tsx")).CampaignReportPage,
  "campaigns",
);

// Reached from the first steps and by its address; what is paid has its own entry of the menu.
const SubscriptionPage = page(
  async () => (await import("../features/invoices/subscription-page.tsx")).SubscriptionPage,
  "provider",
);

// Without the shell: it fills the screen.
const WallPage = page(
  async () => (await import("../features/dashboard/wall-page.tsx")).WallPage,
  "figures",
);

const signedIn: readonly PageRoute[] = [
  {
    path: "campaign/:campaignId/report",
    element: (
      <PermittedOnly permission="campaigns:use">
        <CampaignReportPage />
      </PermittedOnly>
    ),
  },
  {
    path: "subscription",
    element: (
      <PermittedOnly permission="invoices:pay">
        <SubscriptionPage />
      </PermittedOnly>
    ),
  },
  ...pages.map(({ path, rest = "", permission, saysRefusal, offersPlan, Page }): PageRoute => ({
    path: `${path}/${rest}`,
    element: (
      <PermittedOnly permission={permission} saysRefusal={saysRefusal} offersPlan={offersPlan}>
        <Page />
      </PermittedOnly>
    ),
  })),
];

const addresses: readonly PageRoute[] = [
  {
    element: <VisitorsOnly />,
    children: [
      { path: "login", element: <LoginPage /> },
      { path: "forgetpsw", element: <ForgetpswPage /> },
      { path: "signup", element: <SignUpPage /> },
    ],
  },
  {
    path: "wall",
    element: (
      <SignedInOnly>
        <PermittedOnly permission="dashboard:view">
          <WallPage />
        </PermittedOnly>
      </SignedInOnly>
    ),
  },
  // Guarded inside the shell too, so that a broken page leaves the menu usable.
  { element: <Shell />, children: [{ element: <Guarded />, children: signedIn }] },
  { path: "*", element: <NotFound /> },
];

const routes: readonly PageRoute[] = [{ element: <Guarded />, children: addresses }];

/** All addresses of the product. */
export function Pages(): ReactNode {
  return <Routes routes={routes} />;
}

function Guarded(): ReactNode {
  return (
    <PageBoundary>
      <Suspense fallback={<PageLoading />}>
        <Outlet />
      </Suspense>
    </PageBoundary>
  );
}
