'use client';

export default function ErrorPage() {
  return <p role="alert">Something went wrong. Please try again.</p>;
}
