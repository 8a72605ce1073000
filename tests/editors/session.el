;;; -*- lexical-binding: t -*-
;; Driven by test_emacs.py inside a real emacs with eglot: open, wait for diagnostics, hover, run a code action and a
;; command, edit, see the diagnostics change. Writes what it saw as JSON to $TRITON_LS_RESULT and leaves.

(package-initialize)
(require 'eglot)
(require 'json)
(require 'python)

(defvar seen (list :steps []))

(defun finish ()
  (with-temp-file (getenv "TRITON_LS_RESULT")
    (insert (json-encode seen)))
  (kill-emacs 0))

(defun note (key value)
  (setq seen (plist-put seen key value)))

(defun wait-for (what condition)
  (let ((end (+ (float-time) 60)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (if (funcall condition)
        (note :steps (vconcat (plist-get seen :steps) (list what)))
      (note :failed what)
      (note :messages (with-current-buffer "*Messages*" (buffer-string)))
      (finish))))

(defun shown ()
  (mapcar (lambda (d) (list :line (line-number-at-pos (flymake-diagnostic-beg d)) :message (flymake-diagnostic-text d)))
          (flymake-diagnostics)))

(defun mentioned (words)
  (seq-some (lambda (item) (string-match-p (regexp-quote words) (plist-get item :message))) (shown)))

(defun said (words)
  (with-current-buffer "*Messages*"
    (save-excursion
      (goto-char (point-min))
      (when (search-forward words nil t)
        (buffer-substring (point) (line-end-position))))))

(setq-default eglot-workspace-configuration
              `(:triton-ls (:interpreter ,(getenv "TRITON_LS_PYTHON"))))
(setq eglot-confirm-server-initiated-edits nil
      eglot-send-changes-idle-time 0
      eglot-autoreconnect nil)
(add-to-list 'eglot-server-programs
             (cons 'python-mode (append (json-parse-string (getenv "TRITON_LS_COMMAND") :array-type 'list) nil)))
(find-file (getenv "TRITON_LS_FILE"))
(python-mode)
(apply #'eglot (eglot--guess-contact))

(wait-for "diagnostics" (lambda () (mentioned "`in_ptr` is mutated")))
(note :before (vconcat (shown)))

(goto-char (point-min))
(search-forward "def clobber_kernel(")
(let ((answer (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
  (note :hover (substring-no-properties
                (eglot--hover-info (plist-get answer :contents) (plist-get answer :range)))))

(let ((last-nonmenu-event t) titles) ; as if called by a key: a menu needs a screen
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt choices &rest _)
               (setq titles (mapcar #'car choices))
               (seq-find (lambda (title) (string-prefix-p "Show TTIR of clobber_kernel" title)) titles))))
    (call-interactively #'eglot-code-actions))
  (note :actions (vconcat titles)))
(wait-for "the code action" (lambda () (said "triton-ls wrote ")))
(let ((file (string-trim-right (said "triton-ls wrote "))))
  (note :ttir (with-temp-buffer (insert-file-contents file) (buffer-string))))

(note :resources
      (eglot-execute-command (eglot-current-server) 'triton-ls.resources
                             (vector (eglot--path-to-uri buffer-file-name) "copy_kernel")))

(goto-char (point-min))
(search-forward "tl.store(in_ptr")
(delete-region (line-beginning-position) (line-end-position))
(insert "    pass")
(eglot--signal-textDocument/didChange)
(wait-for "diagnostics change" (lambda () (not (mentioned "`in_ptr` is mutated"))))
(note :after (vconcat (shown)))

(let ((server (eglot-current-server)))
  (eglot-shutdown server)
  (wait-for "the server ends" (lambda () (not (jsonrpc-running-p server)))))
(finish)
